-- One picture of what LÖVE needs GL ES 3 for: shaders of GLSL 3.00 ES, array and volume images, instances, canvases of
-- floats and several at once. It is the same in every frame; with the word "end" the third is the last.
local g = love.graphics
local tiles, volume, layers, flower, floats, bytes
local frames = 0

-- Integers, texels by number, a loop whose length is a uniform. Medium precision would do for 16 bits only.
local pattern = [[
#pragma language glsl3
precision highp int;
uniform ArrayImage tiles;
uniform int rounds;
void effect()
{
    ivec2 at = ivec2(love_PixelCoord);
    uint bits = uint(at.x * 73 ^ at.y * 151);
    for (int n = 0; n < rounds; n++)
        bits = (bits << 3 | bits >> 29) ^ 0x9e3779b9u;
    vec4 tile = texelFetch(tiles, ivec3(at & 7, int(bits & 3u)), 0);
    love_Canvases[0] = vec4(tile.rgb * 4.0, 1.0);
    love_Canvases[1] = vec4(fract(vec2(at) / 64.0), float(bits & 255u) / 255.0, 1.0);
}
]]
local tone = [[
#pragma language glsl3
uniform VolumeImage volume;
vec4 effect(vec4 color, Image image, vec2 uv, vec2 screen)
{
    vec4 light = Texel(image, uv);
    vec2 slope = vec2(dFdx(light.r), dFdy(light.g));
    return vec4(light.rgb / (1.0 + light.rgb), 1.0) * Texel(volume, vec3(uv, 0.5 + 0.01 * slope.x)) * color;
}
]]
-- Where an instance stands, and how it is turned, follows from its number.
local petals = [[
#pragma language glsl3
flat varying vec4 petal;
#ifdef VERTEX
vec4 position(mat4 transform, vec4 vertex)
{
    float turn = float(love_InstanceID) * 0.3926990817;
    mat2 rotation = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
    petal = vec4(0.5 + 0.5 * cos(turn + vec3(0.0, 2.0, 4.0)), 0.75);
    return transform * vec4(rotation * vertex.xy + 40.0 * rotation[0], vertex.zw);
}
#endif
#ifdef PIXEL
vec4 effect(vec4 color, Image image, vec2 uv, vec2 screen)
{
    return petal * color;
}
#endif
]]

local function image_data(size, at)
    local data = love.image.newImageData(size, size)
    data:mapPixel(at)
    return data
end

function love.load()
    love.mouse.setVisible(false) -- the display has a cursor, which the reference's picture lacks
    print("GL_VERSION: " .. select(2, g.getRendererInfo()))
    local slices = {}
    for layer = 0, 3 do
        slices[layer + 1] = image_data(8, function(x, y)
            return ((x + layer) % 4) / 3, ((y * (layer + 1)) % 5) / 4, layer / 3, 1
        end)
    end
    layers = g.newArrayImage(slices)
    layers:setFilter("nearest")
    volume = g.newVolumeImage(slices)
    floats = g.newCanvas(512, 512, {format = "rgba16f"})
    bytes = g.newCanvas(512, 512)
    pattern, tone, petals = g.newShader(pattern), g.newShader(tone), g.newShader(petals)
    flower = g.newMesh({{0, -12}, {90, -4}, {120, 0}, {90, 4}, {0, 12}}, "fan", "static")
end

function love.draw()
    g.setCanvas(floats, bytes)
    g.setShader(pattern)
    pattern:send("tiles", layers)
    pattern:send("rounds", 5)
    g.rectangle("fill", 0, 0, 512, 512)
    g.setCanvas()
    g.clear(0.1, 0.15, 0.2)
    g.setShader(tone)
    tone:send("volume", volume)
    g.draw(floats, 64, 104)
    g.setShader()
    g.draw(bytes, 704, 104)
    g.setShader(petals)
    g.drawInstanced(flower, 16, 640, 360)
    g.setShader()
    g.print("Vitrail", 64, 24, 0, 4)
    frames = frames + 1
    if frames == 3 and arg[2] == "end" then
        love.event.quit()
    end
end
