"""Tests of the harness, against engines that are wrong on purpose."""
