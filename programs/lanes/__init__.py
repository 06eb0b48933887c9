"""The language models behind the programs: four lanes, one factory, one ledger."""
