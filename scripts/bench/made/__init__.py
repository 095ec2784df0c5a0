"""Made clusters: dumps as ``kubectl get nodes,pods -A`` prints those of real ones. No module here plans or hashes."""
