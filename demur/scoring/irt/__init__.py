"""Item response theory: how able respondents are, how hard items are, and how well items tell respondents apart."""
