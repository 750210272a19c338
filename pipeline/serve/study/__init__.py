"""A study served: its page, the routes that it asks, and what is kept of what people do."""
