"""For each kind of value, the ways to write an expression that gives it.

``@kind`` stands for another expression of that kind, the other words for what
``ExpressionMaker`` makes itself.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LEAVES", "NEXT_TO", "WAYS"]

LEAVES: Final[dict[str, tuple[str, ...]]] = {
    "any": ("null", "true", "@num", "@txt", "[]", "{}", "@path"),
    "number": ("@num", "@int"),
    "text": ("@txt",),
    "boolean": ("true", "false"),
    "list": ("[]", "[1..3]", '["b", "a"]', "[@num, @num]"),
    "object": ("{}", '{"a": @num}', '{"1": @txt, "a": 1}'),
}

NEXT_TO: Final[dict[str, tuple[str, ...]]] = {
    # Above the surrogates, and with them: by code unit they have another order.
    "wide": ('"a"', '"😀"', '"～"', '"𝒳"', '"a😀"', '"a～"', '"😀～"', '"\\ue000"'),
    "half": ("0.5", "1.5", "2.5", "-0.5", "-1.5", "-2.5", "-4.5", "0.15", "-0.25", "12.345"),
    # Next to where the text of a number changes its form.
    "large": (
        *("1e20", "1e21", "1.2345e20", "999999999999999900000", "1.5e21", "-1e20"),
        *("0.000001", "1e-7", "0.00000099", "9007199254740991", "1e300"),
    ),
}
"""Literals next to an edge of the language."""

# Rows of which some are equal to what sorts them.
_ROWS: Final = '[{"a": @int, "b": 1}, {"a": @int, "b": 2}, {"a": @int, "b": @any}]'

WAYS: Final[dict[str, tuple[str, ...]]] = {
    "any": (
        *("@text", "@number", "@list", "@object", "@boolean", "@path", "@rowpath", "@block"),
        *("(@boolean ? @any : @any)", "(@path ?? @any)", "(@path ?: @any)", "@folding"),
        *('$lookup(@object, "a")', "$single(@list, function($s){$s = @any})", "@path[0]"),
        *("(@boolean ? @any)", "$match(@text, /[a-z]+/)", "(@list ~> $count)", "@path[]"),
        *("(@list ~> $reverse)", "$assert(@boolean, @text)", "$error(@text)", "(@any; @any)"),
        *("$spread(@object)", "$sift(@object, function($s, $k){$k != @text})", "[@any][0]"),
        *("$match(@text, /(a)|(b)/).groups", "@path.*", "@path.**", "$string(@any)"),
        *("$each(@object, function($s, $k){$k})", "@path^($)", "@path{$type($): $}"),
    ),
    "number": (
        *("(@number + @number)", "(@number - @number)", "(@number * @number)", "$count(@list)"),
        *("(@number / @number)", "(@number % @number)", "-(@number)", "$sum(@list)"),
        *("$max(@list)", "$min(@list)", "$average(@list)", "$length(@text)", "$number(@text)"),
        *("$round(@number, 1)", "$floor(@number)", "$ceil(@number)", "$abs(@number)"),
        *("$power(@number, 2)", "$sqrt(@number)", "(@boolean ? @number : @number)"),
        *("(@path ?? @num)", "$toMillis(@text)", "$sum(@path)", "$number(@boolean)"),
        *("$reduce(@list, function($i, $j){$i + $j})", "$round(@half)", "$round(@half, @int)"),
    ),
    "text": (
        *("(@any & @text)", "(@text & @number)", "$string(@any)", "$uppercase(@text)"),
        *("$lowercase(@text)", "$trim(@text)", "$substring(@text, @int)", "$join(@list)"),
        *("$substring(@text, @int, @number)", '$join(@list, ", ")', "$pad(@text, @int, @txt)"),
        *("$substringBefore(@text, @txt)", "$substringAfter(@text, @txt)", "$type(@any)"),
        *("$replace(@text, @txt, @txt)", '$replace(@text, /[a-c]+/, "<$0>")'),
        *("$formatNumber(@number, '#,##0.00')", "$formatBase(@number, 16)"),
        *("$fromMillis(@number)", "$base64encode(@text)", "$base64decode(@text)"),
        *("$encodeUrlComponent(@text)", "$decodeUrl(@text)", "(@path ?? @txt)"),
        *("(@boolean ? @text : @text)", "$replace(@text, /b/, function($m){$m.match & '!'})"),
        *('$replace(@text, /\\s+/, "", 1)', "$string(@large)", "(@large & @text)"),
    ),
    "boolean": (
        *("(@any = @any)", "(@any != @any)", "(@number > @number)", "(@number <= @number)"),
        *("(@text < @text)", "(@text >= @text)", "(@boolean and @boolean)", "$not(@boolean)"),
        *("(@boolean or @boolean)", "(@any in @list)", "$exists(@path)", "$boolean(@any)"),
        *("$contains(@text, @txt)", "$contains(@text, /a|b/i)", "($count(@list) > @int)"),
        *("(@boolean = @number)", "(1 = @boolean)", "(@boolean in [1, @number, @any])"),
        *("(@wide < @wide)", "(@wide >= @wide)"),
        *("(@path = @any)", "(@path ?? false)", "(@path = 1)", "(@path = true)"),
    ),
    "list": (
        *("[@any, @any]", "[@any]", "[@int..@number]", "@mapping", "@filtering", "@ordering"),
        *("$append(@any, @any)", "$reverse(@list)", "$distinct(@list)", "$sort(@list)"),
        *("$zip(@list, @list)", "$keys(@object)", '$split(@text, ",")', "$split(@text, /b/)"),
        *("@rowpath", "@rowpath", "@rowpath", "$map(@list, $string)", "[@list, @any]"),
        *("[@rowpath]", "$distinct(@path)", "$append(@list, @list)", "$filter(@list, $exists)"),
        "$distinct([1, @boolean, @any, @number])",
        f"$sort({_ROWS}, function($l, $r){{$l.a @sign $r.a}})",
        *("$sort([@wide, @wide, @wide])", '[{"a": @wide}, {"a": @wide}]^(a)'),
        *(f"{_ROWS}^(a)", f"{_ROWS}^(>a, <$string(b))"),
    ),
    "object": (
        *('{"a": @any}', '{"b": @any, "1": @any, "a": @any}', "$merge([@object, @object])"),
        *('{"k": @any, @text: @number}', "$merge(@list)", "{$type(@any): @any}"),
        "$sift(@object, function($s){$exists($s)})",
    ),
}
