"""Help while writing VGDL games and GDL rule sheets: completion, explanations, renaming, and a language server.

`vgdl_words` and `gdl_words` say which word of a text means what, also where the text is not finished; `vgdl_help` and
`gdl_help` complete, explain and rename; `server` offers all of it to editors by the Language Server Protocol, and
`extension` writes an extension for VS Code with a TextMate grammar.
"""
