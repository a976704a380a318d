"""What an X server that keeps its picture in a file (Xvfb -fbdir) shows, and pictures as PNG."""
import struct
import zlib


def read_xwd(data):
    """Width and rows of red, green and blue of an X server's picture (XWD) of 32 bits a pixel."""
    numbers = struct.unpack(">25I", data[:100])
    header, width, height, pitch, colors = (numbers[n] for n in (0, 4, 5, 12, 19))
    first, rows = header + 12 * colors, []
    for y in range(height):
        row = data[first + y * pitch:first + y * pitch + 4 * width]
        rgb = bytearray(3 * width)
        rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
        rows.append(bytes(rgb))
    return width, rows


def write_png(path, width, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, len(rows), 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))
