terminal("echo x")
