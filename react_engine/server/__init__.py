"""litellm's own proxy with the engine as a provider in it: ``react-engine serve``."""
