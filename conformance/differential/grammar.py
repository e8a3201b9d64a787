"""What random expressions are made of: for each kind, the ways to write one.

``@kind`` in a way stands for an expression of that kind. The kinds are those of what an
expression is meant to give, so that most evaluations get somewhere; ``any`` mixes them.
A way that calls a function which is not in the language is left out. ``@left`` and
``@leftpath`` are ``any`` and ``path`` without regular expressions: left of ``??`` and ``?:``
the reference hangs on them.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LEAVES", "NAMES", "NUMBERS", "TEXTS", "WAYS"]

TEXTS: Final = (
    *("a", "b", "abc", "x y", "1", "10", "2", "é", "😀", "", "Ab", "open", "a,b,c", "  t "),
    *("～", "12.5", "0x1F", "-3", "ß", "n", "2024-02-29", "2023-01-05T07:08:09.5+02:00"),
    *(
        "YWJj",
        "a b&c=d",
        "%C3%A9",
        "aXbxc",
        "2020-12-31T23:59:59Z",
        "\ue000",
        "𝒳",
        "a😀",
        "a～",
    ),
)
NUMBERS: Final = (
    *(0, 1, 2, 3, -1, -2, 0.5, 1.5, 2.5, 0.1, 0.2, 10, 100, 1e21, 1.5e-07, 123456789.125),
    *(3.14159, -0.5, 1000000000000000.0, 7, 1700000000000, 1234567.891, -1234.5, -1.5, -2.5),
)
NAMES: Final = ("n", "s", "l", "o", "rows", "b", "m", "z", "k", "v", "1", "2")

LEAVES: Final[dict[str, tuple[str, ...]]] = {
    "any": ("null", "true", "n", "rows", "missing", "[]", '""', "@path", "@number", "@text"),
    "num": ("@number", "@number", "n", "rows.n", "l", "rows[0].n", "$count(l)", "v"),
    "str": ("@text", "@text", "s", "rows.s", "k", "rows[0].s", "o.s"),
    "nums": ("l", "rows.n", "[1,2,3]", "[1..4]"),
    "strs": ("k", "rows.s", '["b","a"]'),
    "bool": ("true", "false", "b", "n", "s", "n > 1", 's = "a"', "$ = 1", "n = 2", "l"),
    "list": ("rows", "l", "k", "v", "o.*", "rows.l", "[]", "rows.o"),
    "obj": ("o", "rows[0]", "$$", "{}", "rows.o"),
    "shape": (
        *("a", "b", "c", "$", "$$", "a.b", "b.c", "1", '"x"', "[]", "null", "*", "true"),
        *("$.a", "a.$", "0", "@variable", "@variable", "@variable"),
    ),
}

_REGEX: Final = (
    *("/a/", "/[a-c]+/", "/b|c/", "/A/i", "/x?/", r"/\d+/", r"/\s/", r"/(\w)(\w)?/", "/^a/m"),
    *("/.$/", r"/(a)|(b)/", "/[^a]/", r"/\bx/", "/a{1,2}/", "/(?:ab)+/", "/,/", r"/(\d)\d*/"),
    *("/a*?b/", "/[^a-z]/i", r"/\W/", "/ /", r"/\./"),
)
_PICTURE: Final = (
    *('"#0.00"', '"#,##0"', '"0"', '"#"', '"0.0#"', '"#,##0.00"', '"0%"', '"$#,##0.0"'),
    *('"000"', '"#.##"', '" €0.00"', '"0.### kg"', '"(#0)"'),
)

WAYS: Final[dict[str, tuple[str, ...]]] = {
    "any": (
        *("@path", "@num", "@str", "@bool", "@list", "@obj", "@num", "@str", "@list", "@list"),
        *("(@any ? @any : @any)", "((@left) ?? (@any))", "((@left) ?: (@any))"),
        *(
            "(@leftpath ?? 0)",
            '(@leftpath ?? "d")',
            "(@leftpath ?? [])",
            "(@leftpath ?? null)",
            "@block",
        ),
        *("(@any)@suffix", "$type(@any)", "@path[@any]", "@path[]", "$lookup(@any, @text)"),
        *("(@list ~> $count)", "(@list ~> $sum())", "(@list ~> $string)", "(@list ~> $keys)"),
        *("(@list ~> $reverse)", "(@list ~> $distinct)", "(@list ~> $join)"),
        *("(@list ~> $map(@lambda))", "(@list ~> $merge)", "$single(@list, @test)"),
        *(
            "$error(@str)",
            '$assert(@bool, "no")',
            "($assert(@bool); @any)",
            "$match(@str, @regex)",
        ),
        *("$match(@str, @regex).match", "$match(@str, @regex, 1)"),
    ),
    "num": (
        *("@num + @num", "(@num - @num)", "@num * @num", "(@num) / (@num)", "@num % @num"),
        *("-(@num)", "$sum(@nums)", "$max(@nums)", "$min(@nums)", "$average(@nums)"),
        *("$count(@any)", "$length(@str)", "$number(@str)", "$round(@num, @small)"),
        *("$round(@half)", "$round(@half, @small)", "$length(@wide)"),
        *("$round(@num)", "$floor(@num)", "$ceil(@num)", "$abs(@num)", "$sqrt(@num)"),
        *("$power(@num, 2)", "$power(@num, 0.5)", "$power(@num, -1)", "$power(@num, @num)"),
        *("$reduce(@nums, function($i,$j){$i + $j})", "$toMillis(@str)", "$toMillis(@date)"),
        *("$toMillis($fromMillis(@num))", "$toMillis(@date)"),
    ),
    "str": (
        *(
            "@any & @str",
            "@large & @str",
            "$string(@large)",
            "@num & @str",
            "$string(@any)",
            "$uppercase(@str)",
            "$lowercase(@str)",
        ),
        *(
            "$substring(@str, @small)",
            "$substring(@str, @num)",
            "$substring(@str, @small, @num)",
        ),
        *("$substring(@str, @small, @small)", '$join(@strs, ",")', "$join(@strs)"),
        *("$trim(@str)", "$pad(@str, @small)", '$pad(@str, @small, "#-")'),
        *("$replace(@str, @str, @str)", "$replace(@str, @str, @str, @small)"),
        *("$replace(@str, @regex, @str)", '$replace(@str, @regex, "<$0$1>")'),
        *("$replace(@str, @regex, function($m){$uppercase($m.match)})",),
        *("$substringBefore(@str, @str)", "$substringAfter(@str, @str)"),
        *("$formatBase(@num, 2)", "$formatBase(@num, 16)", "$formatBase(@num, @small)"),
        *("$formatNumber(@num, @picture)", "$formatNumber(@num, @picture)"),
        *("$base64encode(@str)", "$base64decode(@str)", "$base64decode($base64encode(@str))"),
        *("$encodeUrlComponent(@str)", "$decodeUrlComponent(@str)", "$encodeUrl(@str)"),
        *("$decodeUrl(@str)", "$decodeUrl($encodeUrl(@str))", "$fromMillis(@num)"),
        "$fromMillis($toMillis(@date))",
    ),
    "nums": ("[@num, @num]", "[@num, @num, @num]", "[@num]", "[]", "@list", "@list"),
    "strs": (
        *("[@str, @str]", "[@str]", "[]", "$split(@str, @str)", "$split(@str, @regex)"),
        *(
            "$split(@str, @regex, 2)",
            "$keys(@any)",
            "$map(@list, $string)",
            "[@str, @str, @str]",
        ),
    ),
    "bool": (
        *("@any = @any", "@any != @any", "@num < @num", "@num > @num", "@num <= @num"),
        *("@str >= @str", "@str < @str", "(@bool and @bool)", "(@bool or @bool)", "$not(@any)"),
        *("$exists(@any)", "@any in @any", "$boolean(@any)", "$contains(@str, @str)"),
        *("@wide < @wide", "@wide >= @wide"),
        "$contains(@str, @regex)",
    ),
    "list": (
        *("$sort([@wide, @wide, @wide])", '[{"a": @wide}, {"a": @wide}]^(a)'),
        *("[]", "[@any]", "[@any, @any]", "[@any, @any, @any]", "[0..3]", "[-2..@small]"),
        *("[n..5]", "[1..$count(rows)]", "$map(@list, @lambda)", "$map(@list, @lambda)"),
        *("$filter(@list, @test)", "$append(@any, @any)", "$sort(@list)", "$reverse(@list)"),
        *(
            "$sort(@list, @comparator)",
            "$sort(@sorted, @comparator)",
        ),
        *("$distinct(@list)", "$zip(@list, @list)", "$map(@list, $@mapped)", "$spread(@any)"),
        *(
            "$each(@obj, @lambda)",
            "@path.(@any)",
            "rows^(@key)",
            "rows[@bool]",
            "(@list)[@any]",
        ),
        *("$reduce(@list, $append)", "$reduce(@list, function($p,$q){$append($p,$q)}, [])"),
    ),
    "obj": (
        *("{}", '{"a": @any}', '{"b": @any, "1": @any}', '{@text: @any, "0": @any, "a": @any}'),
        *("$merge(@list)", "$merge([@obj, @obj])", "$sift(@obj, @test)", '(@path){"x": @any}'),
        *("rows{s: n}", "rows{$string(n): $}", 'rows{"k": $sum(n)}', "rows{$type(n): @any}"),
        *('$lookup(@obj, "o")', '$lookup(@obj, "s")', "@path{$string($): $}"),
    ),
    "path": (
        *("@root@suffix", "@root.@name@suffix", "@root.@name@suffix.@name@suffix", "@root.*"),
        *("@root.@name.(@any)@suffix", "@root.[@any]", '@root.{"q": @any}', "@root.$@suffix"),
        *("@root.@name.$@mapped($)", "@root.**", "@root.@name.@name"),
    ),
    "root": ("@name", "@name", "@name", "@variable", "$", "$$.@name"),
    "suffix": (
        *("", "", "", "", "", "", "[0]", "[1]", "[-1]", "[-2]", "[]", "[@bool]", "[@any]"),
        "^(@key)",
    ),
    "key": (
        *("n", ">n", "s", "n,s", ">s,<n", "$", ">$", "l[0]", "$string(n)", "m", "o.n", "b"),
        "$string($)",
    ),
    "sorted": (
        "l",
        "k",
        "rows",
        "rows",
        "rows[n]",
        "rows[s]",
        "$append(l, 1)",
        "$append(k, k)",
    ),
    "comparator": (
        *("function($p,$q){$p > $q}", "function($p,$q){$p < $q}", "function($p,$q){$q > $p}"),
        *("function($p,$q){$p.n > $q.n}", "function($p,$q){$q.n < $p.n}"),
        *("function($p,$q){$p.s < $q.s}", "function($p,$q){$q.s > $p.s}"),
        *("function($p,$q){$p.n >= $q.n}", "function($p,$q){$p.o.n > $q.o.n}"),
        *(
            "function($p,$q){$p.n > $q.s}",
            "function($p,$q){$p.n > $p.n}",
            "function($p){$p > 1}",
        ),
        *("function($p,$q){$p.s > $q.s and $p.n > $q.n}", "function($p,$q){$length($p) > 1}"),
    ),
    "mapped": (
        *("string", "count", "type", "keys", "boolean", "exists", "not", "uppercase", "sum"),
        "spread",
    ),
    # Above the surrogates, and with them: by code unit they have another order.
    "wide": ('"😀"', '"～"', '"\\ue000"', '"𝒳"', '"a😀"', '"a～"', '"a"', '"😀～"'),
    "half": (
        "-2.5",
        "-1.5",
        "-4.5",
        "-0.5",
        "0.5",
        "1.5",
        "2.5",
        "3.5",
        "0.15",
        "-0.25",
        "12.345",
    ),
    # Next to where the text of a number changes its form.
    "large": (
        *(
            "1e20",
            "1.2345e20",
            "999999999999999900000",
            "1e21",
            "1.5e21",
            "-1e20",
            "(1e20 * 9)",
        ),
        *("0.000001", "1.5e-6", "1e-7", "0.00000099", "9007199254740991", "1e300"),
    ),
    "small": ("0", "1", "-1", "2", "3", "-2", "5"),
    "date": ('"2024-02-29"', '"2023-01-05T07:08:09.5Z"', '"1969-12-31T23:59:59.999Z"'),
    "regex": _REGEX,
    "picture": _PICTURE,
    # Expressions of structure alone: sequences, singletons, tails, flattening.
    "shape": (
        *("@part.a", "@part.b", "@part.*", "@part.$", "@part.(@shape)", "@part.[@shape]"),
        *('@part.{"k": @shape}', "@part.$keys($)", "@part.$spread()", '@part.$lookup("a")'),
        *("@part[0]", "@part[-1]", "@part[@shape]", "@part[@shape]", "@part[[0,1]]", "@part[]"),
        *("(@shape)", "[@shape]", "[@shape, @shape]", '{"k": @shape, "1": @shape}', "@part.**"),
        *('@part{"k": @shape}', "@part{$type($): @shape}", "@part^($)", "@part^(>b)", "@block"),
        *("(@shape ? @shape : @shape)", "(@shape ? @shape)", "((@shape) ?? (@shape))"),
        *("((@shape) ?: (@shape))", "(@shape) = (@shape)", "(@shape) in (@shape)"),
        *("(@shape) & (@shape)", "@variable.a", "@variable.*[0]", "@variable.$[]"),
        *("$@called(@shape)", "$@called(@shape)@tail", "$append(@shape, @shape)", "@fold"),
        *("$zip(@shape, @shape)", '$lookup(@shape, "a")', "$map(@shape, @lambda)@tail"),
        *("$map(@shape, @lambda)", "$map(@shape, $keys)", "$filter(@shape, @lambda)"),
        *("$single(@shape, @lambda)", "$sift(@shape, @lambda)", "$each(@shape, @lambda)"),
        *("(@shape ~> $keys)@tail", "(@shape ~> $map(@lambda))@tail", "(@shape ~> $spread)"),
        *(
            "(@shape ~> $append(@shape))",
            "(@shape ~> $keys[])",
            "@part{}",
            "@part.()",
            "-@part",
        ),
        *(
            "(@shape; @shape)",
            "@part[][0]",
            "@part[@shape][]",
            "@part[@shape][0]",
            "@part.(@shape)[0]",
        ),
        *(
            "@part^(a, >b)",
            "@part^(<$string($))",
            '@part."a"',
            "@part.**.a",
            "[@small..$count(@part)]",
        ),
        *("@part.$@given()", "@part.$@given()@tail", "@part[$@given()]", "@part.*.*"),
        *("@part.{$string(a): @shape}", "@part.(@shape).(@shape)", "(@shape and @shape)"),
        *("(@shape or @shape)", "(@shape) != (@shape)", "@part[a = @shape]", "@part[@shape].a"),
        *("$map(@shape, λ(){@shape})", "@part[$$.a]"),
        *("$filter(@shape, @lambda)@tail", "@part.a[@shape].$", "$each(@shape, @lambda)@tail"),
        *("$sort(@shape, @lambda)@tail", "$spread(@shape).*", "$distinct(@shape)@tail"),
    ),
    "part": ("a", "b", "c", "$", "(@shape)", "(@shape)", "[@shape]", "$@called(@shape)"),
    "fold": ("$reduce(@shape, $append)", "$reduce(@shape, $append, [])"),
    "tail": (
        "",
        "",
        "[]",
        "[0]",
        '{"q": $}',
        ".a",
        "{}",
        "[@shape]",
        ".*",
        "[-1]",
        ".(@shape)",
    ),
    "given": ("keys", "spread", "string", "boolean", "not"),
    "called": (
        *("keys", "count", "spread", "reverse", "distinct", "exists", "type", "string"),
        *("boolean", "not", "sort", "merge"),
    ),
}
