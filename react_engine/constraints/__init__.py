"""Constrained decoding: what a model may write on the prompt path, made from the tools and the dialect's record."""
