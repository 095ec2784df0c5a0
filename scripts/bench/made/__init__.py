"""Made clusters: what ``kubectl get nodes,pods -A`` prints of real ones."""
