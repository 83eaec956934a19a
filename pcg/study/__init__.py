"""Human preference studies: people play pairs of levels or games in the browser and say which they prefer.

config      what a study is: texts, question, answers, pairing, play, access; a TOML file
items       what is judged: games with levels, collected from folders, archives and runs
admission   whether they can be judged, `making` makes a study of them
schema      the tables, `migrations` how older ones become these
folders     where a study is, and what belongs to an attention check
store       everything that is read from and written to the database
texts       what pages say, in several languages
server      the web application
"""
