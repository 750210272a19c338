"""Files, compressed files and archives as entries, within limits that hold for untrusted input."""
