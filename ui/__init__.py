"""The Streamlit app: a page a folder; what the pages share lies beside them."""
