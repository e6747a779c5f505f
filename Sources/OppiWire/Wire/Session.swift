// SPDX-License-Identifier: MIT

package import OppiText

/// A conversation with an agent in a workspace.
package struct Session: Sendable, Equatable {
  package enum Status: Sendable, Hashable {
    case starting
    case ready
    case busy
    case stopping
    case stopped
    case error
    /// A status of a newer server.
    case unknown(String)

    package var isAtWork: Bool { self == .busy || self == .stopping }

    package init(_ text: String) {
      self =
        switch text {
        case "starting": .starting
        case "ready": .ready
        case "busy": .busy
        case "stopping": .stopping
        case "stopped": .stopped
        case "error": .error
        default: .unknown(text.safeLine(limit: 40))
        }
    }
  }

  /// The session's file changes.
  package struct Changes: Sendable, Equatable {
    package var files: Int
    package var addedLines: Int
    package var removedLines: Int

    package init(files: Int, addedLines: Int, removedLines: Int) {
      self.files = files
      self.addedLines = addedLines
      self.removedLines = removedLines
    }
  }

  package let id: String
  package var status: Status
  package var name: String?
  package var workspaceID: String?
  package var workspaceName: String?
  package var model: String?
  package var thinkingLevel: String?
  /// The tokens of the last message with all before it; `nil` if the server does not report them.
  package var contextTokens: Int?
  /// The most tokens that the model takes; `nil` if unknown.
  package var contextWindow: Int?
  package var parentSessionID: String?
  /// Counts messages of the user and the assistant, and tool results.
  package var messageCount: Int
  /// Whether it has no message, so that it may be deleted, or used for another prompt.
  package var isEmpty: Bool { messageCount == 0 }
  /// The start of the first message.
  package var firstMessage: String?
  /// The start of the latest message.
  package var lastMessage: String?
  /// The cost so far, in dollars; `nil` if the server does not report it.
  package var cost: Double?
  /// `nil` if nothing was changed.
  package var changes: Changes?
  /// The number of dialogs that wait for a human; 0 also if the server does not report it.
  package var pendingCount: Int
  /// Whether the agent runs in a terminal on the server's machine, and the server only mirrors it.
  package var isMirror: Bool
  /// Whether its agent is Pi; `nil` if the server does not name the kind of its agents.
  package var isPi: Bool?
  package var createdAt: Timestamp
  package var lastActivity: Timestamp

  /// Reads the server's object or its summary; `nil` if it has no valid id, as the rows of a
  /// terminal's files that the server could import.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID, json["source"] != "tui" else { return nil }
    self.id = id
    status = Status(json["status"].text(.name) ?? "")
    name = json["name"].line(120)
    workspaceID = json["workspaceId"].wireID
    workspaceName = json["workspaceName"].line(120)
    model = json["model"].line(120)
    thinkingLevel = json["thinkingLevel"].line(40)
    contextTokens = json["contextTokens"].int.flatMap { $0 >= 0 ? $0 : nil }
    contextWindow = json["contextWindow"].count.flatMap { $0 > 0 ? $0 : nil }
    parentSessionID = json["parentSessionId"].wireID
    messageCount = json["messageCount"].int ?? 0
    firstMessage = json["firstMessage"].text(.sentence)?.head(bytes: 800)
    lastMessage = json["lastMessage"].text(.sentence)?.head(bytes: 400)
    cost = json["cost"].double.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    changes = Changes(json: json["changeStats"])
    pendingCount = json["pendingAskCount"].count ?? 0
    isMirror = json["runtime"] == "pi-tui"
    isPi = json["runtime"].text(.name).map { ["oppi", "pi-tui"].contains($0) }
    createdAt = Timestamp(milliseconds: json["createdAt"].int ?? 0)
    lastActivity = Timestamp(milliseconds: json["lastActivity"].int ?? 0)
  }
}

extension Session.Changes {
  fileprivate init?(json: JSONValue) {
    let counts = ["filesChanged", "addedLines", "removedLines"].map { max(0, json[$0].int ?? 0) }
    guard counts.contains(where: { $0 > 0 }) else { return nil }
    self.init(files: counts[0], addedLines: counts[1], removedLines: counts[2])
  }
}

/// A folder or a sandbox on a server in which agents work, with its defaults.
package struct Workspace: Sendable, Equatable {
  package let id: String
  /// Any text, not unique; made safe to show.
  package var name: String
  package var icon: String?
  package var description: String?
  package var defaultModel: String?
  /// The folder on the server's machine, if any; made safe to show.
  package var folder: String?

  package init(
    id: String,
    name: String,
    icon: String? = nil,
    description: String? = nil,
    defaultModel: String? = nil,
    folder: String? = nil
  ) {
    self.id = id
    self.name = name
    self.icon = icon
    self.description = description
    self.defaultModel = defaultModel
    self.folder = folder
  }

  /// Reads the server's object; `nil` if it has no valid id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    let name = json["name"].line(120) ?? ""
    self.init(
      id: id,
      name: name.isEmpty ? id : name,
      icon: json["icon"].line(40),
      description: json["description"].line(300),
      defaultModel: json["defaultModel"].line(120),
      folder: json["hostMount"].line(400)
    )
  }

  /// The members that the cache keeps, named as on the wire.
  package var json: JSONValue {
    .object([
      "id": .string(id),
      "name": .string(name),
      "icon": icon.map(JSONValue.string),
      "description": description.map(JSONValue.string),
      "defaultModel": defaultModel.map(JSONValue.string),
      "hostMount": folder.map(JSONValue.string),
    ])
  }
}

/// A session that contains the searched text.
package struct SearchResult: Sendable, Equatable {
  package struct Piece: Sendable, Equatable {
    package var text: String
    /// Whether the piece matches the searched text.
    package var isMatch: Bool
  }

  package var session: Session
  /// The text around the first match, on one line and safe to show.
  package var snippet: [Piece]
  /// The relevance; lower is better.
  package var rank: Double

  /// The numbers of characters of a snippet before the first match, and from there on.
  private static let (leadLimit, snippetLimit) = (60, 160)

  /// Reads the server's object for a search; `nil` if it has no session.
  package init?(json: JSONValue, for query: String) {
    guard let session = Session(json: json["session"]) else { return nil }
    self.session = session
    rank = json["rank"].double ?? 0
    // A server may send a whole message.
    let pieces = Self.pieces(of: json["snippet"].text(.sentence) ?? "")
    let isMarked = pieces.contains(where: \.isMatch)
    snippet = Self.excerpt(isMarked ? pieces : Self.pieces(of: pieces, marking: query))
  }

  /// Marks the first occurrence of a word of the query, for servers without marks.
  private static func pieces(of pieces: [Piece], marking query: String) -> [Piece] {
    let text = pieces.map(\.text).joined()
    let folded = text.lowercased()
    let words = query.lowercased().split(separator: " ")
    // Some characters are longer in lower case.
    guard folded.count == text.count,
      let match = words.lazy.compactMap({ folded.firstRange(of: $0) }).first
    else { return pieces }
    let start = folded.distance(from: folded.startIndex, to: match.lowerBound)
    let length = folded.distance(from: match.lowerBound, to: match.upperBound)
    return [
      Piece(text: String(text.prefix(start)), isMatch: false),
      Piece(text: String(text.dropFirst(start).prefix(length)), isMatch: true),
      Piece(text: String(text.dropFirst(start + length)), isMatch: false),
    ].filter { !$0.text.isEmpty }
  }

  /// The pieces around the first match; an ellipsis is where text was omitted.
  private static func excerpt(_ pieces: [Piece]) -> [Piece] {
    let first = pieces.firstIndex(where: \.isMatch) ?? 0
    let lead = pieces[..<first].map(\.text).joined()
    let isCut = lead.count > leadLimit
    var kept = [Piece(text: (isCut ? "…" : "") + lead.suffix(leadLimit), isMatch: false)]
    var left = snippetLimit
    for piece in pieces[first...] {
      guard piece.text.count > left else {
        kept.append(piece)
        left -= piece.text.count
        continue
      }
      kept.append(Piece(text: piece.text.prefix(left) + "…", isMatch: piece.isMatch))
      break
    }
    return kept.filter { !$0.text.isEmpty }
  }

  /// Splits the text at the server's marks `<b>` and `</b>`.
  private static func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    for (index, part) in text.split(separator: "<b>", omittingEmptySubsequences: false).enumerated()
    {
      let halves = part.split(separator: "</b>", maxSplits: 1, omittingEmptySubsequences: false)
      let isMatch = index > 0 && halves.count == 2
      for (place, half) in halves.enumerated() {
        let piece = Piece(text: String(half).safePiece(), isMatch: isMatch && place == 0)
        if !piece.text.isEmpty { pieces.append(piece) }
      }
    }
    return pieces
  }
}

extension String {
  /// A piece of a line, keeping one space at each end.
  fileprivate func safePiece() -> String {
    let line = safeLine(limit: TextLimit.sentence.rawValue)
    guard !line.isEmpty else { return contains(where: \.isWhitespace) ? " " : "" }
    return (first?.isWhitespace == true ? " " : "") + line + (last?.isWhitespace == true ? " " : "")
  }
}
