"""The fuzz benchmark: random calls written in every dialect, damaged by name, read, and judged against the truth.

``react-engine fuzz`` runs it. Nothing here is imported by the engine itself.
"""
