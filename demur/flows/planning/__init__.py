"""Plans of rounds: requests and costs by model, and sample sizes for a tolerance."""
