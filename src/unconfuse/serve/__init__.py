"""`unconfuse serve`: the verbs as a local web app, for people who do not program.

Deny by default: nothing is answered without a token, to another Host or to another Origin. Files are read and judged
in child processes with limits; the server itself keeps a history and draws pages. Nothing goes out to any network.
"""
