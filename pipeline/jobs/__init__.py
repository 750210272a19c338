"""The job engine, and the jobs classify, grade, certify and mend.

A job (`*_job`, a record of type `job.Job`) plans the rows that need it and calls `engine.run_job`. The engine opens a
session (log, progress, metrics) and an executor. The driver submits the tasks that the schedule returns and handles
their outcomes. A task reads puzzles, calls the job's function and writes a file of rows; `tidy` joins small files.
"""
