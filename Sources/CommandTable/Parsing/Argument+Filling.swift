// SPDX-License-Identifier: MIT

extension Array {
  /// Returns the rows without storage, with the defaults of the options.
  func specs<Options: Sendable>(defaults: Options) -> [ArgumentSpec]
  where Element == Argument<Options> {
    map { row in
      var spec = row.spec
      spec.makeDefaultText = { row.defaultText(defaults) }
      return spec
    }
  }

  /// Returns the defaults, overwritten with the values of the command line.
  func filling<Options>(
    _ defaults: Options,
    from matches: [ArgumentMatch]
  ) throws(UsageError) -> Options where Element == Argument<Options> {
    var options = defaults
    for row in self {
      try row.fill(&options, from: matches)
    }
    return options
  }
}

extension Argument {
  func fill(_ options: inout Options, from matches: [ArgumentMatch]) throws(UsageError) {
    let own = matches.filter { $0.argument.hasLabel(of: spec) }
    if !own.isEmpty { try store(own, &options) }
  }
}
