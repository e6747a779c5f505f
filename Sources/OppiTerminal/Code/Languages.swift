// SPDX-License-Identifier: MIT

import OppiText

/// The words and marks of a language that are coloured; there is no grammar.
struct Language: Sendable {
  /// A comment or a string.
  struct Region: Sendable {
    enum Extent: Sendable {
      /// A character or an escape; otherwise the mark is none, such as that of a lifetime in Rust.
      case character
      /// Within a line; a mark without a partner there is none, such as an apostrophe.
      case line
      /// The rest of the line.
      case rest
      /// Any number of lines.
      case lines
    }

    let style: Style
    let extent: Extent
    let start: [UInt8]
    let end: [UInt8]
    /// Whether a backslash keeps the next character from being a mark.
    let hasEscapes: Bool
    /// Whether a region can contain others of its kind.
    let isNested: Bool

    private init(
      _ style: Style,
      _ extent: Extent,
      _ start: String,
      _ end: String,
      escapes hasEscapes: Bool = false,
      isNested: Bool = false
    ) {
      (self.style, self.extent) = (style, extent)
      (self.start, self.end) = (Array(start.utf8), Array(end.utf8))
      (self.hasEscapes, self.isNested) = (hasEscapes, isNested)
    }

    static func comment(_ start: String) -> Region { Region(.comment, .rest, start, "") }

    static func comment(_ start: String, _ end: String, isNested: Bool = false) -> Region {
      Region(.comment, .lines, start, end, isNested: isNested)
    }

    static func character(_ mark: String) -> Region {
      Region(.string, .character, mark, mark, escapes: true)
    }

    static func string(_ mark: String) -> Region {
      Region(.string, .line, mark, mark, escapes: true)
    }

    /// A string without escapes.
    static func raw(_ start: String, _ end: String, _ extent: Extent = .line) -> Region {
      Region(.string, extent, start, end)
    }

    static func lines(_ mark: String) -> Region {
      Region(.string, .lines, mark, mark, escapes: true)
    }
  }

  /// The kinds of a byte.
  struct Bytes: OptionSet, Sendable {
    let rawValue: UInt8
    static let word = Bytes(rawValue: 1 << 0)
    static let letter = Bytes(rawValue: 1 << 1)
    static let digit = Bytes(rawValue: 1 << 2)
    /// It may begin a region, or a keyword.
    static let mark = Bytes(rawValue: 1 << 3)
  }

  /// As after a fence, and as the extension of a file.
  let names: [String]
  let words: [String: Style]
  /// A mark that begins with another one comes first.
  let regions: [Region]
  /// Signs that make the word after them a keyword, such as `@` and `#`.
  let signs: [UInt8]
  /// The same, but the sign itself stays plain.
  let brackets: [UInt8]
  /// The sign after the name of a value, and the style of the name.
  let key: (sign: UInt8, style: Style)?
  /// The styles of lines that begin with a text, for languages that consist of lines.
  let lines: [(start: String, style: Style)]
  let hasCapitalTypes: Bool
  let ignoresCase: Bool
  /// Whether lines are commands for a shell.
  let isOfCommands: Bool
  /// By byte.
  let kinds: [Bytes]

  /// `joints` are the signs within words other than `_`.
  private init(
    _ names: String,
    keywords: String = "",
    types: String = "",
    _ regions: [Region] = [],
    signs: String = "",
    brackets: String = "",
    joints: String = "",
    key: (sign: Character, style: Style)? = nil,
    lines: [(start: String, style: Style)] = [],
    hasCapitalTypes: Bool = false,
    ignoresCase: Bool = false,
    isOfCommands: Bool = false
  ) {
    self.names = Self.words(names)
    let styles =
      Self.words(types).map { ($0, Style.type) } + Self.words(keywords).map { ($0, .keyword) }
    words = Dictionary(styles) { $1 }
    (self.regions, self.lines) = (regions, lines)
    (self.signs, self.brackets) = (Array(signs.utf8), Array(brackets.utf8))
    self.key = key.flatMap { key in key.sign.asciiValue.map { ($0, key.style) } }
    (self.hasCapitalTypes, self.ignoresCase) = (hasCapitalTypes, ignoresCase)
    self.isOfCommands = isOfCommands
    let marks = Set(regions.compactMap(\.start.first) + signs.utf8 + brackets.utf8)
    kinds = (UInt8.min...UInt8.max).map { byte -> Bytes in
      if byte.isASCIIDigit { return [.word, .digit] }
      if byte.isASCIILetter || byte == UInt8(ascii: "_") || byte > 0x7F { return [.word, .letter] }
      var kinds: Bytes = []
      if marks.contains(byte) { kinds.insert(.mark) }
      if joints.utf8.contains(byte) { kinds.insert(.word) }
      return kinds
    }
  }

  /// Whether only the name is known.
  var isPlain: Bool { words.isEmpty && regions.isEmpty && lines.isEmpty }

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" }.map { String($0) }
  }

  // MARK: - The table

  /// Returns the language with a name, in any case.
  static func named(_ name: String) -> Language? { byName[name.lowercased()] }

  private static let byName = Dictionary(
    table.flatMap { language in language.names.map { ($0, language) } }
  ) { first, _ in first }

  static let table: [Language] = [
    Language(
      "swift",
      keywords: """
        actor any as associatedtype async await borrowing break case catch class consuming continue
        convenience default defer deinit didSet do else enum extension fallthrough false
        fileprivate final for func get guard if import in indirect init inout internal is isolated
        lazy let mutating nil nonisolated open operator override package private protocol public
        repeat required rethrows return self sending set some static struct subscript super switch
        throw throws true try typealias unowned var weak where while willSet
        """,
      types: "Self",
      [
        .lines("\"\"\""), .raw("#\"", "\"#"), .string("\""), .comment("//"),
        .comment("/*", "*/", isNested: true),
      ],
      signs: "@#",
      hasCapitalTypes: true
    ),
    Language(
      "c h cpp c++ cc cxx hpp hh m mm objc cuda",
      keywords: """
        alignas alignof auto break case catch class concept const consteval constexpr constinit
        const_cast continue co_await co_return co_yield decltype default delete do dynamic_cast else
        enum explicit extern false final for friend goto if inline mutable namespace new noexcept
        NULL nullptr operator override private protected public register reinterpret_cast requires
        restrict return sizeof static static_assert static_cast struct switch template this throw
        true try typedef typename union using virtual volatile while
        """,
      types: """
        bool char double float int int16_t int32_t int64_t int8_t long short signed size_t ssize_t
        string uint16_t uint32_t uint64_t uint8_t unsigned vector void wchar_t
        """,
      [.string("\""), .character("'"), .comment("//"), .comment("/*", "*/")],
      signs: "#"
    ),
    Language(
      "rust rs",
      keywords: """
        as async await break const continue crate dyn else enum extern false fn for if impl in let
        loop match mod move mut pub ref return self static struct super trait true type union unsafe
        use where while
        """,
      types: """
        bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize
        """,
      [
        .raw("r#\"", "\"#", .lines), .lines("\""), .character("'"), .comment("//"),
        .comment("/*", "*/", isNested: true),
      ],
      hasCapitalTypes: true
    ),
    Language(
      "go golang",
      keywords: """
        break case chan const continue default defer else fallthrough false for func go goto if
        import interface iota map nil package range return select struct switch true type var
        """,
      types: """
        any bool byte complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune
        string uint uint16 uint32 uint64 uint8 uintptr
        """,
      [
        .string("\""), .character("'"), .raw("`", "`", .lines), .comment("//"),
        .comment("/*", "*/"),
      ]
    ),
    Language(
      "python py py3 pyi pycon",
      keywords: """
        and as assert async await break case class continue def del elif else except False finally
        for from global if import in is lambda match None nonlocal not or pass raise return self True
        try while with yield
        """,
      types: "bool bytes dict float frozenset int list object set str tuple type",
      [.lines("\"\"\""), .lines("'''"), .string("\""), .string("'"), .comment("#")],
      signs: "@",
      hasCapitalTypes: true
    ),
    Language(
      "javascript js jsx mjs cjs typescript ts tsx mts cts vue svelte",
      keywords: """
        abstract as async await break case catch class const continue debugger declare default delete
        do else enum export extends false finally for from function get if implements import in
        infer instanceof interface is keyof let namespace new null of private protected public
        readonly return satisfies set static super switch this throw true try type typeof undefined
        var while with yield
        """,
      types: "any bigint boolean never number object string symbol unknown void",
      [
        .lines("`"), .string("\""), .string("'"), .comment("//"), .comment("/*", "*/"),
      ],
      signs: "@",
      hasCapitalTypes: true
    ),
    Language(
      "java kotlin kt kts scala groovy gradle csharp cs c# dart",
      keywords: """
        abstract as assert async await base break by case catch class companion const constructor
        continue data default do else enum extends false final finally for foreach fun get if
        implements import in infix init inline inner instanceof interface internal is it lateinit
        namespace native new null object open operator out override package private protected public
        readonly record required return sealed set static super suspend switch synchronized this
        throw throws transient true try typealias using val var virtual vararg volatile when where
        while with yield
        """,
      types: "bool boolean byte char decimal double float int long short string uint ulong void",
      [
        .lines("\"\"\""), .string("\""), .character("'"), .comment("//"), .comment("/*", "*/"),
      ],
      signs: "@",
      hasCapitalTypes: true
    ),
    Language(
      "ruby rb gemspec rake",
      keywords: """
        alias and attr_accessor attr_reader attr_writer begin break case class def do else elsif end
        ensure extend false for if in include module next nil not or private protected public raise
        redo require require_relative rescue retry return self super then true undef unless until
        when while yield
        """,
      [.string("\""), .string("'"), .comment("#")],
      hasCapitalTypes: true
    ),
    Language(
      "php",
      keywords: """
        abstract and array as break case catch class clone const continue declare default do echo
        else elseif enum extends false final finally fn for foreach function global if implements
        include instanceof interface match namespace new null or print private protected public
        readonly require require_once return self static switch this throw trait true try use var
        while yield
        """,
      types: "bool float int iterable mixed never object string void",
      [.string("\""), .string("'"), .comment("//"), .comment("#"), .comment("/*", "*/")],
      hasCapitalTypes: true
    ),
    Language(
      "sh bash zsh shell ksh fish",
      keywords: """
        alias break case cd continue declare do done echo elif else end esac eval exec exit export fi
        for function if in local read readonly return select set shift source then time trap unset
        until while
        """,
      // Strings end with their line, because an apostrophe in a here-document would turn the colours
      // of the rest around.
      [.string("\""), .raw("'", "'"), .comment("#")],
      joints: "-./",
      isOfCommands: true
    ),
    Language(
      "sql psql mysql sqlite postgresql plpgsql",
      keywords: """
        add all alter and as asc begin between by cascade case check commit constraint create cross
        database default delete desc distinct drop else end except exists explain false foreign from
        full function group having if in index inner insert intersect into is join key left like
        limit not null offset on or order outer over partition primary references returning right
        rollback select set table then transaction trigger true union unique update using values
        view when where with
        """,
      types: """
        bigint blob boolean bytea char date decimal double float int integer json jsonb numeric real
        serial smallint text time timestamp timestamptz uuid varchar
        """,
      [
        .raw("'", "'"), .raw("\"", "\""), .raw("`", "`"), .comment("--"), .comment("/*", "*/"),
      ],
      ignoresCase: true
    ),
    Language(
      "json jsonc json5 jsonl ndjson",
      keywords: "false null true",
      [.string("\""), .comment("//"), .comment("/*", "*/")],
      key: (":", .keyword)
    ),
    Language(
      "yaml yml",
      keywords: "false no null off on true yes",
      [.string("\""), .raw("'", "'"), .comment("#")],
      joints: "-./",
      key: (":", .keyword)
    ),
    Language(
      "toml ini cfg conf properties service desktop",
      keywords: "false true",
      [
        .lines("\"\"\""), .raw("'''", "'''", .lines), .string("\""), .raw("'", "'"), .comment("#"),
        .comment(";"),
      ],
      brackets: "[",
      joints: "-.",
      key: ("=", .keyword)
    ),
    Language(
      "html xml htm xhtml svg plist xsl",
      // An apostrophe is usually one of the text.
      [.raw("\"", "\""), .comment("<!--", "-->")],
      brackets: "<",
      joints: "-:",
      key: ("=", .type)
    ),
    Language(
      "css scss sass less",
      keywords: "and from important not only to",
      [.string("\""), .string("'"), .comment("/*", "*/"), .comment("//")],
      signs: "@",
      joints: "-",
      key: (":", .type)
    ),
    Language(
      "dockerfile docker containerfile",
      keywords: """
        ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL
        STOPSIGNAL USER VOLUME WORKDIR
        """,
      [.string("\""), .raw("'", "'"), .comment("#")],
      joints: "-./"
    ),
    Language(
      "makefile make mk",
      keywords: """
        define else endef endif export ifdef ifeq ifndef ifneq include override undefine unexport
        """,
      [.string("\""), .raw("'", "'"), .comment("#")],
      joints: "-./",
      key: (":", .keyword)
    ),
    Language(
      "diff patch",
      lines: [
        ("+++", .strong), ("---", .strong), ("diff ", .strong), ("+", .added), ("-", .removed),
        ("@@", .comment), ("index ", .comment),
      ]
    ),
    Language(
      "console shell-session terminal",
      lines: [("$ ", .code), ("# ", .code)],
      isOfCommands: true
    ),
    Language(
      "powershell pwsh ps1 bat cmd nu",
      [.raw("\"", "\""), .raw("'", "'"), .comment("#")],
      joints: "-./",
      isOfCommands: true
    ),
    // These have no colours, but their names are known, so that their fences are not shown.
    Language(
      """
      text txt plain plaintext output log csv tsv markdown md mermaid dot latex tex vim nginx http
      protobuf proto graphql hcl terraform tf nix lua perl r julia haskell hs ocaml elixir erlang
      clojure lisp zig asm
      """
    ),
  ]
}
