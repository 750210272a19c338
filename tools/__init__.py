"""What makes documents, the site, the gallery and releases from the program; `make docs`, `site`, `gallery`, `dist`."""
