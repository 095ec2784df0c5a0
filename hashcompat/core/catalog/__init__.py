"""The release data as typed rows: release -> types, era and behaviour. Only here are releases compared.

A release is rows of data, never a branch in code. ``releases.py`` has their order and the ranges that rows
hold for; ``lookup.py`` answers the one question of all others: what is everything about the kubelet of this
name?

- What is hashed and how: ``eras.py`` (type trees and the steps), ``pods.py`` (static pods' UIDs).
- What else decides: ``behaviour.py`` (with feature gates), ``defaults.py`` (what API servers write).
- What concerns nodes: ``kubeletsettings.py``, ``hazards.py`` (also what is not upstream's).
- Where rows come from: ``files.py`` (schemas/, and what ranges of several rows cover), ``added.py`` (a
  user's own releases).
- ``nearest.py``: what somebody may have meant by a name that is no release.

A new release is a row in schemas/ (its README says how), and no line here.
"""
