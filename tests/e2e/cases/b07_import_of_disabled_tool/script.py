from hermes_tools import terminal
