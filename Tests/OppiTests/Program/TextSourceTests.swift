// SPDX-License-Identifier: MIT

import Foundation
import OppiModel
import OppiSystem
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient

/// Texts for users are written out, so that renaming a case or a type changes none of them.
@Suite struct TextSourceTests {
  @Test("no text is made from the description of a type or the name of a case")
  func sources() throws {
    let described = #/String\((describing|reflecting):|"\\\((self|error|kind|type\(of: \w+\))\)"/#
    let folder = URL.package.appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
    #expect(files.count > 300)
    for file in files {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      #expect(text.matches(of: described).map { String($0.0) } == [], "\(file)")
    }
  }

  @Test("the words of other programs' input stay as they are")
  func words() {
    #expect(Risk.allCases.map(\.word) == ["read", "write", "exfiltration", "destructive", "high"])
    #expect(DesktopNotification.Urgency.allCases.map(\.word) == ["low", "normal", "critical"])
    #expect(SessionPhase.allCases.map(\.word) == ["waiting", "running", "failed", "idle", "ended"])
    #expect(ApprovalOutcome.allCases.map(\.word) == ["approved", "denied", "expired", "cancelled"])
    #expect(
      PickChoice.Kind.allCases.map(\.word) == ["workspace", "session", "shortcut", "approval"]
    )
    for word in ["permission", "ask", "select", "confirm", "input", "editor", "newer"] {
      #expect(RequestKind(word).word == word)
    }
    #expect(RequestKind("editor") == .editor && RequestKind("newer") == .other("newer"))
  }

  @Test("an error that no layer expects is reported with its own words, never its type's name")
  func unexpected() {
    struct Silent: Error {}
    struct Telling: Error, CustomStringConvertible { let description = "the disk is on fire" }
    #expect(OppiError(Silent()).message == "unexpected error")
    #expect(OppiError(Telling()).message == "unexpected error: the disk is on fire")
  }
}
