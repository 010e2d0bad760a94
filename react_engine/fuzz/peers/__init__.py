"""Other libraries' readers, each in a virtual environment and a process of its own."""
