"""Equations of motion of a robot as text or LaTeX: `dynagen equations ROBOT`.

`recursion` derives the recursion of a function for one robot. `closed_form` derives the mass matrix
M, the Coriolis matrix C and the gravity forces g of robots with few joints. `notation` prints the
recursion and the closed form.
"""
