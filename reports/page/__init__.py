"""Pages: the report with its puzzle browser, a comparison, an explanation, a book to print."""
