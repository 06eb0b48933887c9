"""The provider's old place."""
