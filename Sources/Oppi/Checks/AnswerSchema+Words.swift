// SPDX-License-Identifier: MIT

import OppiModel

extension AnswerSchema.Defect {
  /// The defect as a predicate, which follows the schema's name.
  var words: String {
    switch self {
    case .notAnObject(let path): "is not an object\(Self.place(path))"
    case .unsupported(let keyword, let path):
      "has the keyword '\(keyword.safeLine(limit: 60))', which is not supported\(Self.place(path))"
    case .invalid(let keyword, let path):
      "has an invalid value for '\(keyword.safeLine(limit: 60))'\(Self.place(path))"
    case .tooDeep: "has too many levels"
    }
  }

  private static func place(_ path: String) -> String {
    path.isEmpty ? "" : " at \(path.safeLine(limit: 120))"
  }
}
