"""The Streamlit app. Empty until it is built."""
