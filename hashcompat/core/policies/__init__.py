"""The policy of a gate as values: what may restart, who may say so, and which findings do not count."""
