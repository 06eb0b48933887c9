"""Plans of rounds: the requests and costs of each model, and the sample size that a wanted accuracy needs."""
