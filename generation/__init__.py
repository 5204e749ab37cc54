"""Evidence to an answer: traversal, hard prompts, intermediate answers, helpfulness, merge, checked citations."""
