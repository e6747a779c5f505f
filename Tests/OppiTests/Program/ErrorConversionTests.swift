// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Every error type that the sources declare has a text for people, or is listed as inner.
@Suite struct ErrorConversionTests {
  /// Errors that never reach a command, each with the reason.
  private static let inner = [
    "AnswerSchema.Defect": "its own words; the error names the file or the shortcut",
    "ArgumentValueError": "UsageError tells its message",
    "ChildProcess.Failure": "who runs a program tells it",
    "FleetView.Failure": "its own words; the console shows them",
    "DesktopError": "its own words; who notifies goes on without",
    "HTTPEncodingError": "TransportError holds it",
    "HTTPError": "TransportError holds it",
    "HandshakeError": "TransportError holds it",
    "JSONError": "FileError holds it, and other senders are answered",
    "KeyProgram.Failure": "told with the server's name",
    "OutputClosed": "the program ends without a word",
    "PromptTemplate.Failure": "ShortcutPrompt tells it",
    "ProtocolError": "TransportError holds it",
    "ScheduleError": "AddSchedule tells it",
    "SharedLibrary.Failure": "TransportError and DesktopError tell it",
    "TransportError": "told with the server's name",
    "UnusableAnswer": "told with the server's name",
  ]

  @Test("every error type has a message")
  func conversions() throws {
    let sources = URL.package.appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("OppiHost/") }
    var explained: Set<String> = []
    var types: Set<String> = []
    for file in files {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      for match in text.matches(of: #/extension ([\w.]+): ExplainedError\b/#) {
        explained.insert(String(match.1))
      }
      types.formUnion(Self.errorTypes(in: text))
    }
    #expect(types.isSuperset(of: ["FileError", "OutputStream.Failure", "AskFailure"]))
    #expect(types.subtracting(explained) == Set(Self.inner.keys))
  }

  /// The names of the error types that a source declares, with the names of the types around them.
  private static func errorTypes(in text: String) -> Set<String> {
    let declaration = #/( *)(?:\w+ )*(?:enum|struct|class|actor|extension) ([\w.]+)(.*)/#
    var found: Set<String> = []
    var owners: [(indent: Int, name: String)] = []
    for line in text.split(separator: "\n") {
      guard let match = line.wholeMatch(of: declaration) else { continue }
      let indent = match.1.count
      owners.removeAll { $0.indent >= indent }
      owners.append((indent, String(match.2)))
      if match.3.contains(#/^: (?:\w+, )*Error\b/#) {
        found.insert(owners.map(\.name).joined(separator: "."))
      }
    }
    return found
  }
}
