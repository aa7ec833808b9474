// A library with operands of our making.
#include "matrices.h"
#include "product.h"

namespace bench {
namespace {

class LibrarySubject : public Subject {
 public:
  LibrarySubject(std::unique_ptr<Library> library, const Product& product)
      : product_(product),
        matrices_(product),
        library_(std::move(library)),
        call_(library_->prepare(product, matrices_.operands())) {}
  std::string version() override { return library_->version(); }
  std::string kernel() override { return library_->kernel(); }
  void call() override { call_(); }
  double operations() override { return product_.operations(); }
  void poison() override { matrices_.poison(); }
  std::string fault() override { return matrices_.fault(); }

 private:
  Product product_;
  Matrices matrices_;
  std::unique_ptr<Library> library_;
  Call call_;
};

}  // namespace

std::unique_ptr<Subject> make_library_subject(std::unique_ptr<Library> library, const Product& product) {
  return std::make_unique<LibrarySubject>(std::move(library), product);
}

}  // namespace bench
