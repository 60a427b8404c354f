"""Published worked examples, computed by the engine's own formulas.

`read` takes the document, `run` dispatches each example on its formula and on the names of its
inputs and results, the topics map units and names and call the engine. No example is known by id.
"""
