// SPDX-License-Identifier: MIT

import Oppi
import OppiModel

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
