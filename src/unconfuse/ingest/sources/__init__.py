"""One module for each kind of source: `recognises(data)` and `read(data, needs)`; the first that recognises reads."""
