"""One tool that lets an agent run a whole chain of tool calls in a single model round trip."""
