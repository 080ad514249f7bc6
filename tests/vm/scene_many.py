def play(tap):
    pass
