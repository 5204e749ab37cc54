"""`dynagrag jobs`: lists, resumes and cancels ingests, and retries what they set aside."""
