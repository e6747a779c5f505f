// SPDX-License-Identifier: MIT

import CommandTable
import Oppi
import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// A value survives printing and parsing in every layout.
func fuzzJSON(_ bytes: [UInt8]) {
  let lenient = try? JSONValue(parsingJSON5: bytes)
  if let value = try? JSONValue(parsing: bytes) {
    precondition(lenient == value, "JSON that is not the same as JSON5")
  }
  guard let value = lenient else { return }
  for layout in [JSONValue.Layout.compact, .indented] {
    for isASCII in [false, true] {
      let text = value.text(layout, escapingNonASCII: isASCII)
      precondition((try? JSONValue(parsing: Array(text.utf8))) == value, "another value: \(text)")
      precondition(!isASCII || text.utf8.allSatisfy { $0 < 0x80 }, "not ASCII: \(text)")
      expectSafe(text, alsoAllowed: layout == .indented ? ["\n"] : [])
    }
  }
}

/// A setting can be changed in every readable file, and nothing else changes.
func fuzzConfig(_ bytes: [UInt8]) {
  let isBlank = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  let before: JSONValue? = isBlank ? [:] : try? JSONValue(parsingJSON5: bytes)
  let entries = [ConfigKey.directory("~/a.b"), .model.inWorkspace("a/b")]
  for key in ConfigKey.all + entries {
    let edited = try? JSON5Edit.set(key.path, to: "new", in: bytes)
    guard let before, before.object != nil else {
      precondition(edited == nil, "a text that is no object was edited")
      continue
    }
    guard let edited, let after = try? JSONValue(parsingJSON5: edited) else {
      preconditionFailure("cannot be edited, or is broken by it")
    }
    let wanted = changed(before, at: key.path[...], to: "new")
    precondition(after == wanted, "other than wanted: \(after)")
    let again = try? JSON5Edit.set(key.path, to: "new", in: edited)
    precondition(again == edited, "another text when it is set again")
  }
}

private func changed(
  _ value: JSONValue,
  at path: ArraySlice<String>,
  to new: JSONValue
) -> JSONValue {
  guard let name = path.first else { return new }
  var members = value.object ?? [:]
  members[name] = changed(members[name] ?? .null, at: path.dropFirst(), to: new)
  return .object(members)
}

/// Records of servers and files survive printing and parsing, or are ignored.
func fuzzRecords(_ bytes: [UInt8]) {
  guard let json = try? JSONValue(parsingJSON5: bytes) else { return }
  let now = Timestamp(milliseconds: 1_795_220_505_441)
  if let server = PairedServer(json: json) {
    precondition(PairedServer(json: server.json) == server, "another server: \(server)")
  }
  if let target = LaunchTarget(json: json) {
    precondition(LaunchTarget(json: target.json)?.workspace == target.workspace, "another target")
    precondition(target.age(at: now) >= 0, "an age before birth")
  }
  if let workspace = Workspace(json: json) {
    precondition(Workspace(json: workspace.json) == workspace, "another workspace: \(workspace)")
    expectSafe([workspace.name, workspace.icon ?? "", workspace.description ?? ""])
  }
  if let session = Session(json: json) {
    let times = [session.createdAt, session.lastActivity]
    for time in times { _ = (time.iso8601, now.milliseconds - time.milliseconds) }
    expectSafe([session.name, session.workspaceName, session.model].compactMap(\.self))
  }
  let info = ServerInfo(json: json)
  expectSafe([info.name, info.version ?? ""])
}

/// A snapshot survives printing and parsing, and bars get only whole, safe lines.
func fuzzStatus(_ bytes: [UInt8]) {
  guard let json = try? JSONValue(parsingJSON5: bytes), let fleet = FleetStatus(json: json) else {
    return
  }
  precondition(FleetStatus(json: fleet.json) == fleet, "another snapshot when it is read again")
  for now in [fleet.at, Timestamp(milliseconds: 0), Timestamp(milliseconds: .max)] {
    let glance = BarText(ContentState(fleet, at: now), at: now)
    expectSafe([glance.text])
    for presentation in StatusPresentation.allCases {
      expectSafe(glance.lines(presentation).map(\.plain))
      for format in StatusFormat.all {
        guard case .bar(let lines) = format.form else { continue }
        // The zero-width space that splits a polybar tag is intended.
        let texts = lines(glance, presentation).map { $0.text.filter { $0 != "\u{200B}" } }
        precondition(!texts.isEmpty && texts.allSatisfy { !$0.isEmpty }, "an empty line")
        expectSafe(texts)
      }
    }
  }
}

/// The parser and the completion accept any words.
///
/// The input has one word per line.
func fuzzWords(_ bytes: [UInt8]) {
  let tool = OppiTable.tool
  let words = String(decoding: bytes, as: UTF8.self)
    .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  do throws(UsageError) {
    _ = try tool.parse(words)
  } catch {
    precondition(!error.message.isEmpty, "a mistake without words")
  }
  _ = tool.globalsIgnoringErrors(words)
  let answer = CompletionEngine.candidates(words: words, in: tool) { kind in
    [CompletionCandidate(kind, "a \(kind)"), CompletionCandidate(words[0], "as typed")]
  }
  expectSafe(answer.text, alsoAllowed: ["\n", "\t"])
  guard case .candidates(let candidates) = answer else { return }
  let typed = words[words.count - 1].lowercased()
  for candidate in candidates {
    precondition(candidate.value.lowercased().hasPrefix(typed), "not what was typed: \(candidate)")
  }
}
