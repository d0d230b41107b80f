// Fills the @NAME@ placeholders of a template. Has no conditions and no loops: whoever fills a template decides before.
#ifndef AOTC_CODEGEN_BUNDLE_TEMPLATE_H
#define AOTC_CODEGEN_BUNDLE_TEMPLATE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace aotc::codegen {

/// Replaces each `@KEY@` (KEY: capital letters, digits and '_', a letter first) of `text` by its value; other uses of
/// '@' are left alone. Values are not looked at again. Fails, naming the template, on a placeholder without a value and
/// on a value without a placeholder: a template and its caller that do not fit are a fault of the installation, not of
/// the user.
llvm::Expected<std::string> fillTemplate(llvm::StringRef templateName, llvm::StringRef text,
                                         const std::map<std::string, std::string> &values);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_BUNDLE_TEMPLATE_H
