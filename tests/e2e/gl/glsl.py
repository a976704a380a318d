"""GLSL ES 1.00 as far as scenes use it: text to tree and back.

A node is a list: its kind, then what it has. Expressions: ["number", text], ["name", n], ["unary", op, a], ["post", op, a],
["binary", op, a, b], ["assign", op, a, b], ["choice", c, a, b], ["call", n, args], ["field", a, letters], ["index", a, i].
Statements: ["declare", type, n, size or None, value or None], ["expression", a], ["if", c, then, else or None],
["for", first, condition, step, body], ["block", list], ["return", a or None], ["break"], ["continue"], ["discard"].
"""
import re

TOKEN = re.compile(r"\s+|//[^\n]*|(?P<number>\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|0[xX][0-9a-fA-F]+|\d+)|"
                   r"(?P<name>[A-Za-z_]\w*)|(?P<op>\+\+|--|[-+*/<>=!]=|&&|\|\||\^\^|[-+*/<>=!?:,;.(){}\[\]])")
BINARY = [["||"], ["^^"], ["&&"], ["==", "!="], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/"]]
TYPES = {"void", "float", "int", "bool"} | {f"{p}vec{n}" for p in ("", "i", "b") for n in (2, 3, 4)} | {f"mat{n}" for n in (2, 3, 4)}
QUALIFIERS = {"const", "attribute", "uniform", "varying", "in", "out", "inout", "highp", "mediump", "lowp", "invariant"}


class SyntaxFault(Exception):
    pass


class Parser:
    def __init__(self, text):
        self.tokens, at = [], 0
        text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise SyntaxFault(f"what is '{text[at:at + 20]}'?")
            at = found.end()
            if found.lastgroup:
                self.tokens.append((found.lastgroup, found.group()))
        self.tokens.append(("end", ""))
        self.at = 0

    def peek(self, text=None, ahead=0):
        kind, token = self.tokens[min(self.at + ahead, len(self.tokens) - 1)]
        return token == text and kind != "end" if text is not None else token

    def take(self, text=None):
        kind, token = self.tokens[self.at]
        if text is not None and token != text or kind == "end":
            raise SyntaxFault(f"'{text}' expected before '{' '.join(t for _, t in self.tokens[self.at:self.at + 6])}'")
        self.at += 1
        return token

    def accept(self, text):
        if self.peek(text):
            self.at += 1
            return True
        return False

    # ---- expressions ----

    def expression(self):
        return self.assignment()

    def assignment(self):
        left = self.choice()
        for op in ("=", "+=", "-=", "*=", "/="):
            if self.accept(op):
                return ["assign", op, left, self.assignment()]
        return left

    def choice(self):
        condition = self.binary(0)
        if not self.accept("?"):
            return condition
        yes = self.assignment()
        self.take(":")
        return ["choice", condition, yes, self.assignment()]

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in BINARY[level] and self.tokens[self.at][0] == "op":
            left = ["binary", self.take(), left, self.binary(level + 1)]
        return left

    def unary(self):
        for op in ("++", "--", "-", "+", "!"):
            if self.accept(op):
                return ["unary", op, self.unary()]
        return self.postfix()

    def postfix(self):
        node = self.primary()
        while True:
            if self.accept("."):
                node = ["field", node, self.take()]
            elif self.accept("["):
                node = ["index", node, self.expression()]
                self.take("]")
            elif self.peek("++") or self.peek("--"):
                node = ["post", self.take(), node]
            else:
                return node

    def primary(self):
        kind, token = self.tokens[self.at]
        if self.accept("("):
            node = self.expression()
            self.take(")")
            return node
        self.at += 1
        if kind == "number":
            return ["number", token]
        if kind != "name":
            raise SyntaxFault(f"an expression is expected at '{token}'")
        if token in ("true", "false"):
            return ["number", token]
        if not self.accept("("):
            return ["name", token]
        arguments = []
        while not self.accept(")"):
            arguments.append(self.assignment())
            if not self.peek(")"):
                self.take(",")
        return ["call", token, arguments]

    # ---- statements ----

    def declaration(self):
        kind, name = self.take(), self.take()
        size = value = None
        if self.accept("["):
            size = self.expression()
            self.take("]")
        if self.accept("="):
            value = self.assignment()
        self.take(";")
        return ["declare", kind, name, size, value]

    def statement(self):
        if self.peek("{"):
            return self.block()
        if self.accept("if"):
            self.take("(")
            condition = self.expression()
            self.take(")")
            yes = self.statement()
            return ["if", condition, yes, self.statement() if self.accept("else") else None]
        if self.accept("for"):
            self.take("(")
            first = self.statement()
            condition = self.expression()
            self.take(";")
            step = self.expression()
            self.take(")")
            return ["for", first, condition, step, self.statement()]
        if self.accept("return"):
            value = None if self.peek(";") else self.expression()
            self.take(";")
            return ["return", value]
        for word in ("break", "continue", "discard"):
            if self.accept(word):
                self.take(";")
                return [word]
        while self.peek() in QUALIFIERS:
            self.take()
        if self.peek() in TYPES and not self.peek("(", 1):
            return self.declaration()
        node = ["expression", self.expression()]
        self.take(";")
        return node

    def block(self):
        self.take("{")
        inside = []
        while not self.accept("}"):
            inside.append(self.statement())
        return ["block", inside]

    def unit(self):
        """(globals, functions): declarations in order; by name [type, [[qualifier, type, name]...], body]."""
        variables, functions = [], {}
        while self.tokens[self.at][0] != "end":
            if self.accept("precision"):
                self.take(), self.take(), self.take(";")
                continue
            while self.peek() in QUALIFIERS:
                self.take()
            if not self.peek("(", 2):
                variables.append(self.declaration())
                continue
            kind, name, parameters = self.take(), self.take(), []
            self.take("(")
            while not self.accept(")"):
                qualifier = "in"
                while self.peek() in QUALIFIERS:
                    word = self.take()
                    qualifier = word if word in ("out", "inout") else qualifier
                parameters.append([qualifier, self.take(), self.take()])
                if not self.peek(")"):
                    self.take(",")
            functions[name] = [kind, parameters, self.block()]
        return variables, functions


def parse_expression(text):
    parser = Parser(text)
    node = parser.expression()
    if parser.tokens[parser.at][0] != "end":
        raise SyntaxFault("more than an expression")
    return node


def show(node):
    """An expression's text; every operation stands in parentheses."""
    kind = node[0]
    if kind in ("number", "name"):
        return node[1]
    if kind == "unary":
        return f"({node[1]}{show(node[2])})"
    if kind == "post":
        return f"{show(node[2])}{node[1]}"
    if kind == "binary":
        return f"({show(node[2])} {node[1]} {show(node[3])})"
    if kind == "assign":
        return f"{show(node[2])} {node[1]} {show(node[3])}"
    if kind == "choice":
        return f"({show(node[1])} ? {show(node[2])} : {show(node[3])})"
    if kind == "call":
        return f"{node[1]}({', '.join(show(a) for a in node[2])})"
    if kind == "field":
        return f"{show(node[1])}.{node[2]}"
    return f"{show(node[1])}[{show(node[2])}]"
