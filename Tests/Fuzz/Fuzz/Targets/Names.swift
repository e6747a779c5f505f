// SPDX-License-Identifier: MIT

import OppiClient
import OppiText
import OppiWire

/// A workspace is found by each of its names, and references survive printing and parsing.
///
/// The input is a word, followed by the names of servers and workspaces, one per line.
func fuzzNames(_ bytes: [UInt8]) {
  let lines = String(decoding: bytes, as: UTF8.self).split(
    separator: "\n",
    omittingEmptySubsequences: false
  ).map(String.init)
  expectRoundTrip(lines[0])
  let all = workspaces(called: lines.dropFirst().prefix(16))
  for item in all {
    let (name, id) = (item.workspace.name, item.workspace.id)
    for word in [item.qualifiedName, name, id] where !word.isEmpty {
      let found = WorkspaceMatcher.matches(word, in: all)
      precondition(!found.isEmpty, "nothing is called \(word)")
    }
    precondition(
      WorkspaceMatcher.exactMatches(item.qualifiedName, in: all).contains(item),
      "not found by its whole name: \(item.qualifiedName)"
    )
    if let reference = item.reference { expectRoundTrip(reference.description) }
  }
  let exact = WorkspaceMatcher.exactMatches(lines[0], in: all)
  precondition(exact.isEmpty || WorkspaceMatcher.matches(lines[0], in: all) == exact, "not exact")
  for server in all.map(\.server) {
    let named = all.map(\.server).matches(server.id.text)
    precondition(!named.isEmpty, "no such fingerprint")
  }
  _ = all.map(\.server).matches(lines[0])
}

private func expectRoundTrip(_ text: String) {
  if let reference = WorkspaceReference(text) {
    precondition(WorkspaceReference(reference.description) == reference, "another reference")
    precondition(WireID.isValid(reference.workspaceID), "no id: \(reference.workspaceID)")
  }
  if let fingerprint = Fingerprint(text) {
    precondition(Fingerprint(fingerprint.text) == fingerprint, "another fingerprint")
  }
  if let bytes = Base64.decode(text) {
    precondition(Base64.decode(Base64.encode(bytes)) == bytes, "other bytes")
    precondition(Base64.decode(Base64.encodeURL(bytes)) == bytes, "other bytes")
  }
}

/// A server and a workspace for each pair of adjacent names.
private func workspaces(called names: ArraySlice<String>) -> [ServerWorkspace] {
  zip(names, names.dropFirst()).enumerated().compactMap { index, pair in
    let id = Fingerprint(digest: Array(repeating: UInt8(index), count: 32))
    guard let endpoint = Endpoint(scheme: .http, host: "host", port: 1 + index),
      let workspace = Workspace(json: ["id": .string("w\(index)"), "name": .string(pair.1)])
    else { return nil }
    let server = PairedServer(id: id, name: pair.0.safeLine(limit: 80), endpoint: endpoint)
    return ServerWorkspace(server: server, workspace: workspace)
  }
}
