project = "Host"
html_theme = "furo"
