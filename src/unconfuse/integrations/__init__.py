"""Other libraries: each module here imports its library when it is imported itself, and nothing else imports it."""
