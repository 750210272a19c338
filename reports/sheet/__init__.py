"""One puzzle for people: drawn with its clues as SVG, and the pictures, animations and pages to print that follow."""
