function love.conf(t)
    t.window.title, t.window.width, t.window.height, t.window.vsync = "vitrail", 1280, 720, 0
    t.window.fullscreen, t.window.fullscreentype = true, "desktop"
    for _, module in ipairs({"audio", "sound", "joystick", "physics", "video", "touch"}) do
        t.modules[module] = false
    end
end
