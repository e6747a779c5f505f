// SPDX-License-Identifier: MIT

struct ChosenPicker: Sendable {
  let picker: Picker
  /// The program and the user's own arguments.
  let words: [String]

  struct Surroundings {
    var places: Set<Picker.Place>
    var has: (String) -> Bool
  }

  /// Selects the program that the user named, else the first installed picker that works here.
  init(_ named: [String]?, in surroundings: Surroundings) throws(MenuError) {
    if let named, let program = named.first {
      let name = program.split(separator: "/").last.map(String.init) ?? program
      picker = Picker.all.first { $0.name == name } ?? .other(program)
      words = named
      guard surroundings.has(program) else { throw .noSuchProgram(program) }
      guard picker.canBeShown(in: surroundings.places) else {
        throw .noPlace(program: name, needsTerminal: picker.isOnTerminal)
      }
      return
    }
    let fitting = Picker.all.filter { !$0.places.isDisjoint(with: surroundings.places) }
    guard let picker = fitting.first(where: { surroundings.has($0.name) }) else {
      throw .noProgram(fitting: fitting.map(\.name))
    }
    self.picker = picker
    words = [picker.name]
  }

  /// The command with arguments; the user's own follow and take precedence.
  func words(with arguments: [String]) -> [String] {
    words.prefix(1) + arguments + words.dropFirst()
  }
}
