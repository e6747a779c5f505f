// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiTerminal
package import OppiText
package import OppiWire

/// A list in the JSON output of a command, as help describes it.
package protocol DescribedList: Sendable {
  /// The member of the document that has the rows.
  var name: String { get }
  /// The list and the members of its rows.
  var members: [HelpRow] { get }
}

/// A list that a command prints: the JSON of a row, its columns on a terminal, and its values in a
/// pipe.
///
/// JSON and help have the members in their order. A terminal shows the columns; each says what
/// happens to it on a narrow terminal. A pipe has a value of a member for each path.
package struct Listing<Row: Sendable>: DescribedList {
  package let name: String
  private let formerName: String?
  private let meaning: String
  package let shape: JSONShape<Row>
  private let columns: [ListColumn<Row>]
  private let pipe: [PipeValue<Row>]
  private let isFolded: Bool

  /// - Parameters:
  ///   - name: The name of the list in JSON.
  ///   - formerName: An earlier name, under which JSON has the list too.
  ///   - meaning: What the list is.
  ///   - shape: The members of a row.
  ///   - columns: The columns on a terminal.
  ///   - isFolded: Whether a terminal folds the columns by which the reader decides.
  ///   - pipe: The values in a pipe; none for the columns.
  package init(
    _ name: String,
    formerly formerName: String? = nil,
    _ meaning: String,
    _ shape: JSONShape<Row>,
    columns: [ListColumn<Row>] = [],
    isFolded: Bool = true,
    pipe: [PipeValue<Row>] = []
  ) {
    self.name = name
    self.formerName = formerName
    self.meaning = meaning
    self.shape = shape
    self.columns = columns
    self.isFolded = isFolded
    self.pipe = pipe
  }

  package var members: [HelpRow] { JSONShape([member { $0 }] as [JSONMember<[Row]>]).rows }

  /// The list as a member of a document.
  package func member<Document>(
    _ rows: @escaping @Sendable (Document) -> [Row]
  ) -> JSONMember<Document> {
    .list(name, formerly: formerName, meaning, shape, rows)
  }

  /// The columns of rows, followed by rows of another list with the same columns.
  package func table(of rows: [Row], _ view: ListView, and others: [[StyledText]] = []) -> Table {
    columns.table(of: cells(of: rows, view) + others, isFolded: isFolded)
  }

  /// The columns of rows without the one with a header, whose values are shown elsewhere.
  package func table(of rows: [Row], _ view: ListView, without header: String) -> Table {
    let columns = columns.filter { $0.header != header }
    return columns.table(of: rows.map { columns.cells(of: $0, view) }, isFolded: isFolded)
  }

  package func cells(of rows: [Row], _ view: ListView) -> [[StyledText]] {
    rows.map { columns.cells(of: $0, view) }
  }

  /// What a pipe has of rows; `nil` if it has the columns.
  func ownPipe(of rows: [Row]) -> Report.Text? {
    pipe.isEmpty ? nil : .table { Table(plain: values(of: rows)) { $0 } }
  }

  /// The values of rows in a pipe.
  package func values(of rows: [Row]) -> [[String]] {
    let texts = pipe.map { $0.text(shape) }
    return rows.map { row in texts.map { $0(row) } }
  }
}

/// What the cells of a list show, besides the values of their row.
package struct ListView: Sendable {
  package let now: Timestamp
  /// Whether servers are not named, because there is only one.
  package var isOnlyServer = false
  /// The servers that do not answer, of which nothing is known for certain.
  package var lost: Set<Fingerprint> = []
  /// The least columns of an age: in a list that stays on a screen, ages grow without moving what
  /// stands beside them.
  private let ageColumns: Int

  package init(now: Timestamp, isOnlyServer: Bool = false, ageColumns: Int = 0) {
    (self.now, self.isOnlyServer, self.ageColumns) = (now, isOnlyServer, ageColumns)
  }

  /// The age of a moment, such as `5 min`.
  package func age(of moment: Timestamp) -> String {
    let age = RelativeTime.age(seconds: moment.age(at: now))
    return String(repeating: " ", count: max(0, ageColumns - DisplayWidth.of(age))) + age
  }

  /// What happened, and when, such as `used 5 min ago`; `nil` if it did not.
  package func ago(_ word: String, _ moment: Timestamp?) -> String? {
    moment.map { "\(word) \(RelativeTime.ago($0, at: now))" }
  }
}

/// A column of a list on a terminal: its header, what happens to it if the width is small, and its
/// cell in a row.
package struct ListColumn<Row>: Sendable {
  package let header: String
  package let role: TableColumn
  var isRight = false
  let cell: @Sendable (Row, ListView) -> StyledText
  /// Whether the first row precedes the second one in a list that is sorted by this column; `nil` if
  /// none is.
  package private(set) var precedes: (@Sendable (Row, Row) -> Bool)?

  /// Declares a column whose cells have several styles, or depend on more than their row.
  package static func cell(
    _ header: String,
    _ role: TableColumn,
    _ cell: @escaping @Sendable (Row, ListView) -> StyledText
  ) -> ListColumn {
    ListColumn(header: header, role: role, cell: cell)
  }

  package static func text(
    _ header: String,
    _ role: TableColumn,
    _ style: Style = .plain,
    _ text: @escaping @Sendable (Row) -> String?
  ) -> ListColumn {
    .cell(header, role) { row, _ in StyledText(text(row) ?? "", style) }
  }

  package static func age(
    _ role: TableColumn,
    _ moment: @escaping @Sendable (Row) -> Timestamp
  ) -> ListColumn {
    .cell("AGE", role) { StyledText($1.age(of: moment($0)), .dim) }.toTheRight
  }

  /// The column, aligned to the right.
  package var toTheRight: ListColumn {
    var column = self
    column.isRight = true
    return column
  }

  /// The column, by which a list can be sorted.
  package func sorted<Value: Comparable & SendableMetatype>(
    by value: @escaping @Sendable (Row) -> Value,
    isDescending: Bool = false
  ) -> ListColumn {
    var column = self
    column.precedes = { first, second in
      isDescending ? value(first) > value(second) : value(first) < value(second)
    }
    return column
  }

  /// Declares a column that is empty if there is only one server.
  package static func server(_ name: @escaping @Sendable (Row) -> String) -> ListColumn {
    .cell("SERVER", .context) { StyledText($1.isOnlyServer ? "" : name($0)) }
  }
}

extension Array {
  package func cells<Row>(of row: Row, _ view: ListView) -> [StyledText]
  where Element == ListColumn<Row> {
    map { $0.cell(row, view) }
  }

  /// A table of the cells of rows.
  package func table<Row>(
    of cells: [[StyledText]],
    isFolded: Bool,
    needs: TableNeeds = .table
  ) -> Table where Element == ListColumn<Row> {
    Table(
      cells,
      roles: map(\.role),
      headers: allSatisfy(\.header.isEmpty) ? [] : map(\.header),
      isRight: map(\.isRight),
      isFolded: isFolded,
      needs: needs
    )
  }
}

/// A value of a row in a pipe: a member of its JSON by the path, such as `server.name`, or a text.
package struct PipeValue<Row>: Sendable, ExpressibleByStringLiteral {
  /// Finds the member once for all rows.
  let text: @Sendable (JSONShape<Row>) -> @Sendable (Row) -> String

  package init(stringLiteral path: String) {
    text = { shape in
      let value = shape.value(at: path)
      return { value($0).columnText }
    }
  }

  private init(_ text: @escaping @Sendable (Row) -> String) {
    self.text = { _ in text }
  }

  package static func text(_ text: @escaping @Sendable (Row) -> String?) -> PipeValue {
    PipeValue { text($0) ?? "" }
  }
}

extension JSONValue {
  /// The value in a column of text; empty for null, and JSON for a value that contains others with
  /// names.
  var columnText: String {
    switch self {
    case .null: ""
    case .string(let text): text
    case .array(let values) where values.allSatisfy(\.isSimple):
      values.map(\.columnText).joined(separator: ",")
    default: text()
    }
  }

  private var isSimple: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }
}
