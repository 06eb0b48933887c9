-- Whether a round was imported, and from which files; no row for an unknown round.
SELECT is_imported AS imported, files FROM round_origins WHERE round_id = ?;
