"""Human preference studies: people play pairs of levels or games in the browser and say which they prefer.

config      texts, question, answers, pairing, play, access: a TOML file
items       games with levels that are judged, collected from folders, archives and runs
admission   checks of items, descriptions and pictures
creation    a study made of configuration and items; `checks` looks it over later
folders     the folder of a study; `database` opens databases
schema      the tables, `rows` their values in Python, `migrations` from older ones, `store` all reading and writing
texts       of the pages, in several languages
server      the web application; `server_process` runs it in a process of its own
monitoring  statistics of a running study
simulating  simulated participants (`players`, `client`)
replaying   stored plays, replayed; `exporting` the data as tables, `reporting` their analysis
"""
